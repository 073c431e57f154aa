// Why a report has no graph: what it then cannot say has the reason beside it.

export function noGraphWords({ dump }) {
  if (dump.kind === "simple") return "This is a simple dump: it counts the objects of each class and holds no references.";
  if (dump.rung === "frozen, written") return "The object graph was written to a file and is not analysed here; 'holdfast analyze' does that.";
  return "This report has no object graph; the notes say why.";
}

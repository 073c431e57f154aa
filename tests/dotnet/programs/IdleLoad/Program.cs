using System.Globalization;
using IdleLoad;

// IdleLoad [seconds=5] [warmup=2] [threads=2]
// Prints "ops_per_second X", then how many collections there were meanwhile: "collections GEN0 GEN1 GEN2 BACKGROUND".
var options = new Dictionary<string, int> { ["seconds"] = 5, ["warmup"] = 2, ["threads"] = 2 };
foreach (string word in args)
{
    string[] parts = word.Split('=');
    options[parts[0]] = int.Parse(parts[1], CultureInfo.InvariantCulture);
}

var load = new Load(options["threads"]);
load.OperationsPerSecond(options["warmup"]);
var before = Collections.Now();
double result = load.OperationsPerSecond(options["seconds"]);
Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"ops_per_second {result:0}"));
Console.WriteLine($"collections {Collections.Now() - before}");

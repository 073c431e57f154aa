#include "cli/export/account_stacks.h"

#include "cli/export/stack_names.h"
#include "cli/report/account_choice.h"

namespace holdfast::cli {
namespace {

class AccountStacks {
 public:
  AccountStacks(const AccountsView& accounts, StackKind kind)
      : accounts_(accounts), kind_(kind), names_(stacks_.names) {
    root_ = names_.id(kind == StackKind::kLive ? "live" : "allocated");
  }

  TreeStacks made() {
    push({root_}, amount(accounts_.rest_of_accounts));
    for (const AccountView& account : accounts_.accounts.rows) add(account);
    return std::move(stacks_);
  }

 private:
  const AmountView& amount(const AccountView& row) const {
    return kind_ == StackKind::kLive ? row.live : row.allocated;
  }
  const AccountListView& parts() const {
    return accounts_.by_method ? accounts_.methods : accounts_.classes;
  }

  void push(std::vector<std::uint32_t> frames, const AmountView& amount) {
    stacks_.samples.push_back({std::move(frames), amount.bytes, amount.objects, {}});
  }

  void add(const AccountView& account) {
    const std::uint32_t frame = names_.id(std::string(account.account));
    std::vector<const AccountView*> listed;
    for (const AccountView& part : parts().rows) {
      if (part.account != account.account) continue;
      listed.push_back(&part);
      std::vector<std::uint32_t> frames{
          names_.id(part.class_name.empty() ? "(class not told)" : std::string(part.class_name))};
      if (!part.method.empty()) frames.push_back(names_.id(std::string(part.method) + "()"));
      frames.insert(frames.end(), {frame, root_});
      push(std::move(frames), amount(part));
    }
    push({frame, root_}, amount(rest_of(account, listed)));
  }

  const AccountsView& accounts_;
  StackKind kind_;
  TreeStacks stacks_;
  StackNames names_;
  std::uint32_t root_ = 0;
};

}  // namespace

std::string why_no_account_stacks(const ReportView& view, StackKind kind) {
  if (!view.accounts) return no_such_account(view, "");
  if (kind == StackKind::kLive && !view.accounts->live_known)
    return "the VM of this report does not tell which objects died; allowed: allocated";
  return "";
}

TreeStacks account_stacks(const ReportView& view, StackKind kind) {
  return AccountStacks(*view.accounts, kind).made();
}

}  // namespace holdfast::cli

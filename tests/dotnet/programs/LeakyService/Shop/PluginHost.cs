using System.Reflection;
using System.Runtime.Loader;

namespace Shop;

/// <summary>Loads the price rules anew and unloads the old ones. The context stays: Formatters has seen its types.</summary>
internal sealed class PluginHost
{
    private readonly object _lock = new();
    private AssemblyLoadContext? _context;
    private int _loads;

    public string Reload()
    {
        lock (_lock)
        {
            _context?.Unload();
            _context = new AssemblyLoadContext($"price rules {++_loads}", isCollectible: true);
            Assembly assembly = _context.LoadFromAssemblyPath(Path.Combine(AppContext.BaseDirectory, "PriceRules.dll"));
            Type rule = assembly.GetType("PriceRules.WeekendRule")!;
            object price = rule.GetMethod("Price")!.Invoke(Activator.CreateInstance(rule), [1, 10.0])!;
            return Formatters.For(rule)(price);
        }
    }
}

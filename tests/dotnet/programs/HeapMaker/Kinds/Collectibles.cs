using System.Reflection;
using System.Runtime.Loader;

namespace HeapMaker.Kinds;

/// <summary>The same assembly in collectible load contexts, three at each call: classes of one name that are different classes.</summary>
internal sealed class Collectibles : IKind
{
    private const int Contexts = 3;

    private readonly List<AssemblyLoadContext> _contexts = [];
    private readonly List<Assembly> _assemblies = [];
    private int _widgets;

    public string Name => "collectibles";

    public void Make(int count)
    {
        for (int i = 0; i < Contexts; i++)
        {
            var context = new AssemblyLoadContext($"plugin {_contexts.Count}", isCollectible: true);
            Assembly assembly = context.LoadFromAssemblyPath(Path.Combine(AppContext.BaseDirectory, "Plugin.dll"));
            Call(assembly, "Make", count);
            _contexts.Add(context);
            _assemblies.Add(assembly);
        }
        _widgets += Contexts * count;
    }

    private static object? Call(Assembly assembly, string method, params object[] arguments)
    {
        return assembly.GetType("Plugin.Widget")!.GetMethod(method)!.Invoke(null, arguments);
    }

    public IEnumerable<(Type, long)> Expected()
    {
        return _assemblies.Count == 0 ? [] : [(Type("Plugin.Widget"), _widgets), (Type("Plugin.Gadget"), _widgets)];
    }

    private Type Type(string name) => _assemblies[0].GetType(name)!;

    public bool Sound() => _assemblies.TrueForAll(assembly => Call(assembly, "Sound") is true);

    public void Drop()
    {
        _contexts.ForEach(context => context.Unload());
        _contexts.Clear();
        _assemblies.Clear();
        _widgets = 0;
    }
}

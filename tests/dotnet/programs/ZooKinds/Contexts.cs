using System.Reflection;
using System.Runtime.Loader;

namespace ZooKinds;

/// <summary>Load contexts of one assembly that are never unloaded, as hot reload or plug-ins leave them.</summary>
internal static class Contexts
{
    private static readonly List<object> Plugins = [];

    public static void Make(int count)
    {
        string path = typeof(Contexts).Assembly.Location;
        for (int i = 0; i < count; i++)
        {
            Assembly loaded = new AssemblyLoadContext($"plugin-{i}", isCollectible: true).LoadFromAssemblyPath(path);
            Plugins.Add(Activator.CreateInstance(loaded.GetType("ZooKinds.Item")!, nonPublic: true)!);
        }
    }
}

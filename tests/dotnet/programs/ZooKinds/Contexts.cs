using System.Reflection;
using System.Runtime.Loader;

namespace ZooKinds;

/// <summary>Load contexts of one assembly that are never unloaded, as hot reload or plug-ins leave them.</summary>
internal static class Contexts
{
    private static readonly List<object> Plugins = [];

    /// <summary>Each copy of the assembly fills a static field of its own.</summary>
    public static void Fill(int count, int each)
    {
        for (int i = 0; i < count; i++)
        {
            Assembly loaded = new AssemblyLoadContext($"plugin-{i}", isCollectible: true).LoadFromAssemblyPath(typeof(Contexts).Assembly.Location);
            Type type = loaded.GetType("ZooKinds.Holders")!;
            type.GetMethod("FillQueue")!.Invoke(null, [each]);
            Plugins.Add(type);
        }
    }

    public static void Make(int count, int each)
    {
        string path = typeof(Contexts).Assembly.Location;
        for (int i = 0; i < count; i++)
        {
            Assembly loaded = new AssemblyLoadContext($"plugin-{i}", isCollectible: true).LoadFromAssemblyPath(path);
            Type item = loaded.GetType("ZooKinds.Item")!;
            for (int n = 0; n < each; n++)
            {
                Plugins.Add(Activator.CreateInstance(item, nonPublic: true)!);
            }
        }
    }
}

using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

namespace HeapMaker;

/// <summary>Collectible load contexts that come and go all the time, each with objects of classes of its own.</summary>
internal static class PluginTraffic
{
    private const int Widgets = 20;
    private const int CollectEvery = 4;

    private static readonly List<WeakReference> Contexts = [];
    private static Thread? _thread;
    private static volatile bool _over;
    private static int _restMs;

    /// <summary>When this answers some have come and gone. Between two of them there is a rest of up to so many milliseconds.</summary>
    public static string Begin(int restMs)
    {
        _restMs = restMs;
        for (int i = 0; i < CollectEvery; i++)
        {
            ComeAndGo();
        }
        _thread = new Thread(Work) { Name = "plugin traffic", IsBackground = true };
        _thread.Start();
        return "plugins on";
    }

    /// <summary>How many came, and how many of them are gone.</summary>
    public static string End()
    {
        _over = true;
        _thread?.Join();
        _over = false;
        for (int i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        int gone = Contexts.Count(context => !context.IsAlive);
        string answer = $"plugins off {Contexts.Count} {gone}";
        Contexts.Clear();
        return answer;
    }

    private static void Work()
    {
        var random = new Random(1);
        while (!_over)
        {
            ComeAndGo();
            Thread.Sleep(random.Next(_restMs + 1));
            if (Contexts.Count % CollectEvery == 0)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }
        }
    }

    /// <summary>A frame of its own, so that no local holds the context afterwards.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void ComeAndGo()
    {
        var context = new AssemblyLoadContext($"traffic {Contexts.Count}", isCollectible: true);
        Assembly assembly = context.LoadFromAssemblyPath(Path.Combine(AppContext.BaseDirectory, "Plugin.dll"));
        assembly.GetType("Plugin.Widget")!.GetMethod("Make")!.Invoke(null, [Widgets]);
        Contexts.Add(new WeakReference(context));
        context.Unload();
    }
}

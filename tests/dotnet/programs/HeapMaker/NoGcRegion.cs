using System.Runtime;

namespace HeapMaker;

/// <summary>A stretch for which the application has asked the collector to keep still.</summary>
internal static class NoGcRegion
{
    public static string Begin(int megabytes) => $"region {GC.TryStartNoGCRegion((long)megabytes << 20)}";

    public static string Mode() => $"mode {GCSettings.LatencyMode}";

    public static string End()
    {
        GC.EndNoGCRegion();
        return "region ended";
    }
}

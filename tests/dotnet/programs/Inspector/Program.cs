using System.Text.Json;
using Microsoft.Diagnostics.Runtime;

namespace Inspector;

/// <summary>
/// What a debugger's library (ClrMD) reads of another process's heap: an oracle that shares nothing with the agent.
/// The process is stopped meanwhile, and nothing in it runs.
///
///   Inspector PID [GRAPH]
///
/// stdout: JSON; classes as C# writes them, with instances, bytes, and how many of them the roots reach; roots by kind.
/// GRAPH: the same object by object (GraphFile), for bin/check_debugger_heap.
/// </summary>
internal static class Program
{
    private static int Main(string[] arguments)
    {
        if (arguments.Length is not (1 or 2))
        {
            Console.Error.WriteLine("usage: Inspector PID [GRAPH]");
            return 2;
        }
        using DataTarget target = DataTarget.AttachToProcess(int.Parse(arguments[0]), suspend: true);
        using ClrRuntime runtime = target.ClrVersions.Single().CreateRuntime();
        if (!runtime.Heap.CanWalkHeap)
        {
            Console.Error.WriteLine("the process is inside a collection");
            return 1;
        }
        var picture = new HeapPicture(runtime);
        if (arguments.Length == 2)
        {
            GraphFile.Write(picture, arguments[1]);
        }
        Console.WriteLine(JsonSerializer.Serialize(Summary(picture)));
        return 0;
    }

    private static object Summary(HeapPicture picture)
    {
        var types = picture.Objects.GroupBy(one => one.Type).Select(group => new
        {
            name = group.Key.Name,
            module = group.Key.Module,
            instances = group.Count(),
            bytes = group.Sum(one => (long)one.Bytes),
            reached = group.Count(one => one.Reached),
        });
        return new
        {
            objects = picture.Objects.Count,
            bytes = picture.Objects.Sum(one => (long)one.Bytes),
            reached = picture.Objects.Count(one => one.Reached),
            types = types.OrderBy(type => type.name, StringComparer.Ordinal),
            roots = picture.Roots.GroupBy(root => root.Kind).ToDictionary(group => group.Key, group => group.Count()),
        };
    }
}

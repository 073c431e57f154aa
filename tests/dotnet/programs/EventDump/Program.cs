using System.Diagnostics;
using System.Diagnostics.Tracing;
using System.Text.Json;
using Microsoft.Diagnostics.NETCore.Client;
using Microsoft.Diagnostics.Tracing;
using Microsoft.Diagnostics.Tracing.Parsers.Clr;

namespace EventDump;

/// <summary>
/// The peer in benchmarks: has a runtime dump its heap from outside, by the session that dotnet-gcdump asks for, and reads all events.
/// What that tool does afterwards, its graph and its file, is left out: the whole command takes longer than this.
///
///   EventDump PID    stdout, JSON: nodes, edges, types, whether the end came, milliseconds from the request to the last event read
/// </summary>
internal static class Program
{
    private const long HeapSnapshot = 0x1980001;  // GC, types and their names, heap dump, collect now
    private const int BufferMb = 1024;
    private static readonly TimeSpan Longest = TimeSpan.FromMinutes(5);

    private static int Main(string[] arguments)
    {
        if (arguments.Length != 1)
        {
            Console.Error.WriteLine("usage: EventDump PID");
            return 2;
        }
        long begin = Stopwatch.GetTimestamp();
        Events seen = Collect(new DiagnosticsClient(int.Parse(arguments[0])));
        double totalMs = Stopwatch.GetElapsedTime(begin).TotalMilliseconds;
        Console.WriteLine(JsonSerializer.Serialize(new { seen.Nodes, seen.Edges, seen.Types, seen.Complete, TotalMs = totalMs }));
        return seen.Complete ? 0 : 1;
    }

    private static Events Collect(DiagnosticsClient client)
    {
        var provider = new EventPipeProvider("Microsoft-Windows-DotNETRuntime", EventLevel.Verbose, HeapSnapshot);
        using EventPipeSession session = client.StartEventPipeSession([provider], requestRundown: false, circularBufferMB: BufferMb);
        using var source = new EventPipeEventSource(session.EventStream);
        var seen = new Events(source);
        Task reading = Task.Run(source.Process);
        seen.Ended.Wait(Longest);
        session.Stop();
        reading.Wait(Longest);
        return seen;
    }

    private sealed class Events
    {
        private int _collection = -1;

        public Events(EventPipeEventSource source)
        {
            source.Clr.GCStart += Start;
            source.Clr.GCStop += Stop;
            source.Clr.GCBulkNode += data => Nodes += data.Count;
            source.Clr.GCBulkEdge += data => Edges += data.Count;
            source.Clr.TypeBulkType += data => Types += data.Count;
        }

        public long Nodes { get; private set; }

        public long Edges { get; private set; }

        public long Types { get; private set; }

        public bool Complete { get; private set; }

        public ManualResetEventSlim Ended { get; } = new();

        private void Start(GCStartTraceData data)
        {
            if (_collection == -1 && data.Depth == 2 && data.Reason == GCReason.Induced && data.Type == GCType.NonConcurrentGC)
            {
                _collection = data.Count;
            }
        }

        private void Stop(GCEndTraceData data)
        {
            if (data.Count == _collection)
            {
                Complete = true;
                Ended.Set();
            }
        }
    }
}

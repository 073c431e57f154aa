using System.Diagnostics;

namespace WebLoad;

/// <summary>So many connections, each with one request after the other.</summary>
internal sealed class Crowd
{
    private readonly object _lock = new();
    private readonly List<double> _answers = new();

    public Crowd(string url, int connections)
    {
        var client = new HttpClient(new SocketsHttpHandler { MaxConnectionsPerServer = connections });
        for (int i = 0; i < connections; i++)
        {
            _ = AskOn(client, $"{url}/order/", i);
        }
    }

    public string Restart()
    {
        lock (_lock)
        {
            _answers.Clear();
        }
        return "marked";
    }

    public string Told()
    {
        double[] sorted;
        lock (_lock)
        {
            sorted = _answers.ToArray();
        }
        Array.Sort(sorted);
        double p99 = sorted.Length == 0 ? 0 : sorted[sorted.Length * 99 / 100];
        return $"answers {sorted.Length} slowest_ms {Program.Shown(sorted.LastOrDefault())} p99_ms {Program.Shown(p99)}";
    }

    private async Task AskOn(HttpClient client, string url, int customer)
    {
        while (true)
        {
            long begin = Stopwatch.GetTimestamp();
            await client.GetStringAsync(url + customer);
            double milliseconds = Stopwatch.GetElapsedTime(begin).TotalMilliseconds;
            lock (_lock)
            {
                _answers.Add(milliseconds);
            }
            customer = (customer + 17) % 1_000_000;
        }
    }
}

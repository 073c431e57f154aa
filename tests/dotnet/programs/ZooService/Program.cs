using System.Diagnostics;

namespace ZooService;

/// <summary>
/// An ASP.NET Core service of tests/zoo whose root scope keeps every transient IDisposable, and what asks it, in a process of its own.
///
///   ZooService serve COUNT   READY once there are so many; then answers "gap" as ZooKinds does, and is asked on
///   ZooService ask URL COUNT  says FULL, then asks another route from several connections until its input ends
/// </summary>
internal static class Program
{
    private const int Connections = 4;

    private static async Task Main(string[] words)
    {
        if (words[0] == "ask")
        {
            await Ask(words[1], int.Parse(words[2]));
            return;
        }
        WebApplicationBuilder builder = WebApplication.CreateBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Services.AddTransient<Report>();
        builder.Services.AddScoped<Basket>();
        await using WebApplication service = builder.Build();
        // The leak: a transient IDisposable that is resolved from the root provider lives as long as that does.
        service.MapGet("/report/{number:int}", (int number) => service.Services.GetRequiredService<Report>().Of(number));
        service.MapGet("/basket/{number:int}", (int number, Basket basket) => basket.Of(number));
        service.Lifetime.ApplicationStopping.Register(() => Process.GetCurrentProcess().Kill());  // SIGTERM: the main thread waits for input
        await service.StartAsync();
        using Process clients = StartClients(service.Urls.First(), words[1]);
        while (await clients.StandardOutput.ReadLineAsync() is { } line && line != "FULL")
        {
        }
        ZooKinds.Gap.Serve();
    }

    private static Process StartClients(string url, string count)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!) { RedirectStandardInput = true, RedirectStandardOutput = true };
        start.Environment["CORECLR_ENABLE_PROFILING"] = "0";
        foreach (string word in (string[])[.. HostWords(), "ask", url, count])
        {
            start.ArgumentList.Add(word);
        }
        return Process.Start(start)!;
    }

    /// <summary>Where the process is `dotnet`, which program it runs.</summary>
    private static string[] HostWords() =>
        Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet" ? [Path.Combine(AppContext.BaseDirectory, "ZooService.dll")] : [];

    private static async Task Ask(string url, int count)
    {
        new Thread(EndWithServer) { IsBackground = true }.Start();
        using var client = new HttpClient(new SocketsHttpHandler { MaxConnectionsPerServer = Connections });
        await Parallel.ForEachAsync(Enumerable.Range(0, count), new ParallelOptions { MaxDegreeOfParallelism = Connections },
            async (number, _) => await client.GetStringAsync($"{url}/report/{number}", CancellationToken.None));
        Console.WriteLine("FULL");
        await Task.WhenAll(Enumerable.Range(0, Connections).Select(start => AskOn(client, url, start)));
    }

    private static async Task AskOn(HttpClient client, string url, int number)
    {
        while (true)
        {
            await client.GetStringAsync($"{url}/basket/{number++}");
            await Task.Delay(1);
        }
    }

    /// <summary>Whose end of the pipe the input is.</summary>
    private static void EndWithServer()
    {
        while (Console.Read() >= 0)
        {
        }
        Process.GetCurrentProcess().Kill();
    }
}

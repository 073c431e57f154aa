using System.Globalization;

namespace WebLoad;

/// <summary>
/// An ASP.NET Core service with a heap of OBJECTS objects, and what asks it, for measuring what a dump costs its users.
///
///   WebLoad serve OBJECTS  READY http://127.0.0.1:PORT
///     stdin: mark -> "marked"; pauses? -> "pauses_ms A B C ..." of the collections since the mark; quit
///   WebLoad ask URL CONNECTIONS              READY
///     stdin: mark -> "marked"; answers? -> "answers N slowest_ms X p99_ms Y" since the mark; quit
/// </summary>
internal static class Program
{
    private static async Task Main(string[] arguments)
    {
        if (arguments[0] == "serve")
        {
            await Serve(long.Parse(arguments[1], CultureInfo.InvariantCulture));
        }
        else
        {
            Ask(arguments[1], int.Parse(arguments[2], CultureInfo.InvariantCulture));
        }
    }

    private static async Task Serve(long objects)
    {
        var shop = new Shop(objects);
        var pauses = new CollectionPauses();
        await using WebApplication service = Service.Make(shop);
        await service.StartAsync();
        Console.WriteLine($"READY {service.Urls.First()}");
        Obey(line => line switch
        {
            "mark" => pauses.Restart(),
            "pauses?" => "pauses_ms " + string.Join(' ', pauses.All().Select(Shown)),
            _ => null,
        });
    }

    private static void Ask(string url, int connections)
    {
        var crowd = new Crowd(url, connections);
        Console.WriteLine("READY");
        Obey(line => line switch
        {
            "mark" => crowd.Restart(),
            "answers?" => crowd.Told(),
            _ => null,
        });
    }

    public static string Shown(double milliseconds) => milliseconds.ToString("F2", CultureInfo.InvariantCulture);

    private static void Obey(Func<string, string?> answer)
    {
        while (Console.ReadLine() is { } line && line != "quit")
        {
            Console.WriteLine(answer(line) ?? $"unknown {line}");
        }
    }
}

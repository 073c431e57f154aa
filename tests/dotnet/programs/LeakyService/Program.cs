using Shop;

namespace LeakyService;

/// <summary>
/// A small web shop with an ordinary mistake: a session listens to prices, and when it ends nobody tells the price feed.
/// Around it stand smaller mistakes of other kinds, and what a service has besides. Loopback only; the port is printed.
///
///   /login/NAME  /logout/NUMBER  /article/NUMBER  /reserve/NUMBER  /reload
///   stdin: quiet -> "ready" after a collection; quit
/// </summary>
internal sealed class Program
{
    private readonly Catalogue _catalogue = new(5_000);
    private readonly Sessions _sessions = new();
    private readonly PluginHost _plugins = new();

    private static void Main()
    {
        var shop = new Program();
        using var server = new HttpServer(shop.Answer);
        Console.WriteLine($"READY port={server.Port}");
        while (Console.ReadLine() is { } line && line != "quit")
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            GC.Collect();
            Console.WriteLine(line == "quiet" ? "ready" : $"unknown {line}");
        }
    }

    private string Answer(string[] path)
    {
        return path switch
        {
            ["login", var name] => $"session {_sessions.Login(name, _catalogue).Number}",
            ["logout", var number] => _sessions.Logout(int.Parse(number)) ? "bye" : "who?",
            ["article", var number] => Article(_catalogue[int.Parse(number)]),
            ["reserve", var number] => Reservations.Reserve(_catalogue[int.Parse(number)]),
            ["reload"] => _plugins.Reload(),
            _ => throw new FileNotFoundException(string.Join('/', path)),
        };
    }

    private static string Article(Product product)
    {
        Audit.Later(product, DateTime.UtcNow);
        ViewCounts.Count(product);
        return ArticleCache.Page(product).Title;
    }
}

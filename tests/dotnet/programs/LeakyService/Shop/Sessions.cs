using System.Collections.Concurrent;

namespace Shop;

/// <summary>Who is logged in. Logging out takes a session from here, and seems to be the end of it.</summary>
internal sealed class Sessions
{
    private readonly ConcurrentDictionary<int, Session> _open = new();
    private readonly object _lock = new();
    private int _last;

    public Session Login(string name, Catalogue catalogue)
    {
        lock (_lock)
        {
            var session = new Session(++_last, name) { ["locale"] = "en", ["lastArticle"] = catalogue[_last] };
            _open[session.Number] = session;
            return session;
        }
    }

    public bool Logout(int number) => _open.TryRemove(number, out _);
}

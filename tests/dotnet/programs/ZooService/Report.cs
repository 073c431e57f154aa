namespace ZooService;

/// <summary>Made for each request, and to be disposed with the scope that it was resolved from.</summary>
internal sealed class Report : IDisposable
{
    private readonly byte[] _page = new byte[1_000];

    public string Of(int number)
    {
        _page[number % _page.Length] = 1;
        return $"report {number}";
    }

    public void Dispose()
    {
    }
}

/// <summary>The same, but of the request's own scope.</summary>
internal sealed class Basket : IDisposable
{
    private readonly byte[] _page = new byte[1_000];

    public string Of(int number)
    {
        _page[number % _page.Length] = 1;
        return $"basket {number}";
    }

    public void Dispose()
    {
    }
}

namespace Shop;

/// <summary>One customer, with a cart.</summary>
internal sealed class Session
{
    private const int CartBytes = 8_000;

    private readonly byte[] _cart = new byte[CartBytes];
    private readonly Dictionary<string, object> _attributes = [];
    private double _lastPrice;

    public Session(int number, string name)
    {
        Number = number;
        Name = name;
        PriceFeed.Changed += OnPriceChanged;  // the mistake: Sessions.Logout does not take it back
    }

    public int Number { get; }

    public string Name { get; }

    public int CartSize => _cart.Length;

    public object this[string attribute]
    {
        get => _attributes[attribute];
        set => _attributes[attribute] = value;
    }

    private void OnPriceChanged(int product, double price) => _lastPrice = price + 0 * _lastPrice;
}

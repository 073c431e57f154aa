namespace Shop;

/// <summary>Goods are kept for a customer for some time. Each timer is to fire once a day, and nobody disposes of one.</summary>
internal static class Reservations
{
    private static readonly TimeSpan Period = TimeSpan.FromDays(1);

    public static string Reserve(Product product)
    {
        var reservation = new Reservation(product);
        reservation.Remind = new Timer(state => ((Reservation)state!).Due = true, reservation, Period, Period);
        return $"reserved {product.Name}";
    }
}

internal sealed class Reservation(Product product)
{
    private const int NoteBytes = 2_000;

    public Product Product { get; } = product;

    public byte[] Note { get; } = new byte[NoteBytes];

    public Timer? Remind { get; set; }

    public bool Due { get; set; }
}

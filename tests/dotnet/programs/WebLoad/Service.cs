namespace WebLoad;

/// <summary>One route on a free port of the loopback address.</summary>
internal static class Service
{
    public static WebApplication Make(Shop shop)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        WebApplication service = builder.Build();
        service.MapGet("/order/{customer:int}", (int customer) => Results.Text(shop.Order(customer), "application/json"));
        return service;
    }
}

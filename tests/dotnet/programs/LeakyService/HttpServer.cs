using System.Net;
using System.Net.Sockets;
using System.Text;

namespace LeakyService;

/// <summary>Answers GET with what a function makes of the path, on a free port of the loopback address.</summary>
internal sealed class HttpServer : IDisposable
{
    private const int Tries = 20;

    private readonly Func<string[], string> _answer;
    private readonly HttpListener _listener;

    public HttpServer(Func<string[], string> answer)
    {
        _answer = answer;
        (_listener, Port) = Listen();
        _ = Serve();
    }

    public int Port { get; }

    /// <summary>HttpListener takes no port 0: a free one is asked for, and may be gone again.</summary>
    private static (HttpListener, int) Listen()
    {
        for (int i = 0; ; i++)
        {
            using var probe = new TcpListener(IPAddress.Loopback, 0);
            probe.Start();
            int port = ((IPEndPoint)probe.LocalEndpoint).Port;
            probe.Stop();
            var listener = new HttpListener();
            listener.Prefixes.Add($"http://127.0.0.1:{port}/");
            try
            {
                listener.Start();
                return (listener, port);
            }
            catch (HttpListenerException) when (i < Tries)
            {
                listener.Close();
            }
        }
    }

    private async Task Serve()
    {
        while (_listener.IsListening)
        {
            HttpListenerContext context = await _listener.GetContextAsync();
            _ = Task.Run(() => Handle(context));
        }
    }

    private void Handle(HttpListenerContext context)
    {
        string text;
        try
        {
            text = _answer(context.Request.Url!.AbsolutePath.Split('/', StringSplitOptions.RemoveEmptyEntries));
        }
        catch (Exception error)
        {
            context.Response.StatusCode = error is FileNotFoundException ? 404 : 500;
            text = error.Message;
        }
        byte[] body = Encoding.UTF8.GetBytes(text);
        context.Response.ContentLength64 = body.Length;
        context.Response.OutputStream.Write(body);
        context.Response.Close();
    }

    public void Dispose() => _listener.Close();
}

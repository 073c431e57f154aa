// Threads and tasks that say whose work they do, and allocate known amounts: one command a line, "DONE command" when it is done.
using System.Diagnostics;
using Holdfast;

Console.WriteLine("READY");
while (Console.ReadLine() is { } line)
{
    var words = line.Split(' ');
    var n = words.Length > 1 ? int.Parse(words[1]) : 0;
    switch (words[0])
    {
        case "users": AnnotatedLoad.Program.Users(n); break;
        case "tasks": await AnnotatedLoad.Program.Tasks(n); break;
        case "ended": AnnotatedLoad.Program.Ended(n); break;
        case "odd": AnnotatedLoad.Program.Odd(n); break;
        case "cost": AnnotatedLoad.Program.Cost(); break;
        default: return;
    }
    Console.WriteLine($"DONE {words[0]}");
}

namespace AnnotatedLoad
{
    public sealed class Piece
    {
        public long A, B, C, D, E, F;
    }

    /// <summary>The account.</summary>
    public static class Work
    {
        public static volatile object? Sink;

        [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
        public static void Allocate(int pieces)
        {
            for (var i = 0; i < pieces; i++)
                Sink = new Piece();
        }
    }

    public static class Program
    {
        static void OnThread(Action body)
        {
            var thread = new Thread(() => body());
            thread.UnsafeStart();
            thread.Join();
        }

        /// <summary>Two users; alice's work is half for a request, and bob's for a quarter, in between.</summary>
        public static void Users(int pieces)
        {
            OnThread(() =>
            {
                using (Annotations.User("alice"))
                {
                    Work.Allocate(pieces);
                    using (Annotations.Request("/cart"))
                        Work.Allocate(pieces);
                    using (Annotations.User("bob"))
                        Work.Allocate(pieces / 2);
                    Work.Allocate(pieces / 2);
                }
                Work.Allocate(pieces / 2);
            });
            OnThread(() =>
            {
                Annotations.User("bob");
                Annotations.Request("/till");
                Annotations.Session("s1");
                Annotations.Application("shop");
                Work.Allocate(2 * pieces);
            });
        }

        /// <summary>Two kinds of tasks take turns on the same few threads.</summary>
        public static Task Tasks(int pieces) => Task.WhenAll(Enumerable.Range(0, 20).Select(number => Task.Run(async () =>
        {
            using var scope = Annotations.User($"t{number % 2}");
            for (var round = 0; round < 10; round++)
            {
                await Task.Delay(1);
                Work.Allocate(pieces / 10);
            }
        })));

        /// <summary>Each says something and ends without taking it back.</summary>
        public static void Ended(int threads)
        {
            for (var i = 0; i < threads; i++)
            {
                var name = $"ended-{i % 10}";
                OnThread(() =>
                {
                    Annotations.User(name);
                    Work.Allocate(500);
                });
            }
            OnThread(() => Work.Allocate(500_000));
        }

        public static void Odd(int pieces)
        {
            OnThread(() =>
            {
                Annotations.User(new string('x', 10_000));
                Work.Allocate(pieces);
                Annotations.User("a\nb\0c\u00e4\U0001F600\uD83D");
                Work.Allocate(pieces);
                Annotations.Clear();
                Work.Allocate(pieces);
            });
        }

        /// <summary>What it costs to say something, in ns.</summary>
        public static void Cost()
        {
            const int Rounds = 300_000;
            var best = double.MaxValue;
            for (var run = 0; run < 5; run++)
            {
                var watch = Stopwatch.StartNew();
                for (var i = 0; i < Rounds; i++)
                    Annotations.User("alice").Dispose();
                best = Math.Min(best, watch.Elapsed.TotalNanoseconds / Rounds);
            }
            Console.WriteLine($"COST {best:F0} ns for both");
        }
    }
}

#pragma warning disable CS0649 // Fields are there for their bytes.

using System.Runtime.CompilerServices;

// One namespace for each way in which an allocation finds its account. Items have three fields of 8 bytes: 40 bytes with header and class.
// Frames that the JIT compiler merges into their callers are none, so what must be one says NoInlining.
namespace AccountLoad.Direct
{
    internal sealed class Item { public long A, B, C; }

    internal static class Maker
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static void Run(int count)
        {
            for (int i = 0; i < count; i++)
            {
                Expectations.Sink = new Item { A = i };
            }
            Expectations.Add("AccountLoad.Direct", "AccountLoad.Direct.Item", count, 40L * count);
        }
    }
}

namespace AccountLoad.Callbacks
{
    internal sealed class Item { public long A, B, C; }

    internal static class Giver
    {
        public static void Run(int count)
        {
            Runner.Library.Repeat(count, Called);
            Expectations.Add("AccountLoad.Callbacks", "AccountLoad.Callbacks.Item", count, 40L * count);
            Expectations.Add("AccountLoad.Runner", "AccountLoad.Runner.Ticket", count, 24L * count);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void Called(int i) => Expectations.Sink = new Item { A = i };
    }
}

namespace AccountLoad.Runner
{
    internal sealed class Ticket { public long Number; }

    internal static class Library
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static void Repeat(int count, Action<int> action)
        {
            for (int i = 0; i < count; i++)
            {
                Expectations.Sink = new Ticket { Number = i };
                action(i);
            }
        }
    }
}

namespace AccountLoad.Exceptions
{
    internal sealed class Problem : Exception { }

    internal sealed class Item { public long A, B, C; }

    internal static class Thrower
    {
        public static void Run(int count)
        {
            for (int i = 0; i < count; i++)
            {
                try
                {
                    Fail();
                }
                catch (Problem)
                {
                    AfterCatch(i);
                }
            }
            Expectations.Add("AccountLoad.Exceptions", "AccountLoad.Exceptions.Item", 10L * count, 400L * count);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void Fail() => throw new Problem();

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void AfterCatch(int i)
        {
            for (int k = 0; k < 10; k++)
            {
                Expectations.Sink = new Item { A = i + k };
            }
        }
    }
}

namespace AccountLoad.Threads
{
    internal sealed class Item { public long A, B, C; }

    internal static class Starter
    {
        private const int Threads = 4;

        public static void Run(int count)
        {
            var threads = new Thread[Threads];
            for (int t = 0; t < Threads; t++)
            {
                threads[t] = new Thread(() => Work(count / Threads)) { Name = $"worker {t}" };
                threads[t].Start();
            }
            foreach (Thread thread in threads)
            {
                thread.Join();
            }
            long made = (long)(count / Threads) * Threads;
            Expectations.Add("AccountLoad.Threads", "AccountLoad.Threads.Item", made, 40 * made);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void Work(int count)
        {
            object? last = null;
            for (int i = 0; i < count; i++)
            {
                last = new Item { A = i };
                Volatile.Write(ref Expectations.Sink, last);
            }
        }
    }
}

namespace AccountLoad.Reflection
{
    internal sealed class Item { public long A, B, C; }

    internal static class Activated
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static void Run(int count)
        {
            Type type = typeof(Item);
            for (int i = 0; i < count; i++)
            {
                Expectations.Sink = Activator.CreateInstance(type);
            }
            Expectations.Add("AccountLoad.Reflection", "AccountLoad.Reflection.Item", count, 40L * count);
        }
    }
}

namespace AccountLoad.Lambdas
{
    internal sealed class Item { public long A, B, C; }

    internal static class Closing
    {
        public static void Run(int count)
        {
            long captured = count;
            Func<int, object> make = i => new Item { A = captured + i };
            foreach (object made in Enumerable.Range(0, count).Select(make))
            {
                Expectations.Sink = made;
            }
            Expectations.Add("AccountLoad.Lambdas", "AccountLoad.Lambdas.Item", count, 40L * count);
        }
    }
}

namespace AccountLoad.Asynchronous
{
    internal sealed class Item { public long A, B, C; }

    internal static class Loader
    {
        private const int Batch = 10_000;

        public static async Task Run(int count)
        {
            for (int i = 0; i < count; i++)
            {
                if (i % Batch == 0)
                {
                    await Task.Yield();
                }
                Expectations.Sink = new Item { A = i };
            }
            Expectations.Add("AccountLoad.Asynchronous", "AccountLoad.Asynchronous.Item", count, 40L * count);
        }
    }
}

namespace AccountLoad.Generics
{
    internal static class Cache<T>
        where T : class
    {
        internal sealed class Node { public T? Value; public long A, B; }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static void Run(int count)
        {
            for (int i = 0; i < count; i++)
            {
                Expectations.Sink = new Node { A = i };
            }
            Expectations.Add("AccountLoad.Generics", "AccountLoad.Generics.Cache<string>.Node", count, 40L * count);
        }
    }
}

namespace AccountLoad.Arrays
{
    internal static class Buffers
    {
        private const int Large = 200_000;
        private const int OneLargeIn = 100;

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static void Run(int count)
        {
            for (int i = 0; i < count; i++)
            {
                Expectations.Sink = new short[1_000];
                if (i % OneLargeIn == 0)
                {
                    Expectations.Sink = new int[Large];
                }
            }
            long large = (count + OneLargeIn - 1) / OneLargeIn;
            Expectations.Add("AccountLoad.Arrays", "short[]", count, 2_024L * count);
            Expectations.Add("AccountLoad.Arrays", "int[]", large, ((4L * Large) + 24) * large);
        }
    }
}

namespace AccountLoad.Kept
{
    internal sealed class Item { public object? Next; public long A, B; }

    internal static class Keeper
    {
        private const int OneKeptIn = 4;

        public static Item? Held;

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static void Run(int count)
        {
            for (int i = 0; i < count; i++)
            {
                var item = new Item { A = i };
                if (i % OneKeptIn == 0)
                {
                    item.Next = Held;
                    Held = item;
                }
                Expectations.Sink = item;
            }
            long kept = (count + OneKeptIn - 1) / OneKeptIn;
            Expectations.Add("AccountLoad.Kept", "AccountLoad.Kept.Item", count, 40L * count, kept);
            Expectations.Sink = null;
        }
    }
}

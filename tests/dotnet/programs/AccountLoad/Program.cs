using System.Diagnostics;
using System.Globalization;
using AccountLoad;

// AccountLoad [objects=1500000] [rounds=1]
// Each scenario allocates known numbers of objects of a class of its own, in a namespace of its own, and says so:
// "expect ACCOUNT CLASS OBJECTS BYTES LIVE"; bytes as the allocator counts. Then "ready"; it ends with its standard input.
// With loop=SECONDS (of CPU time): allocates as fast as it can instead, and prints "ops_per_cpu_second X".
var options = new Dictionary<string, int> { ["objects"] = 1_500_000, ["loop"] = 0, ["depth"] = 0 };
foreach (string word in args)
{
    string[] parts = word.Split('=');
    options[parts[0]] = int.Parse(parts[1], CultureInfo.InvariantCulture);
}

if (options["loop"] != 0)
{
    Loop.Run(TimeSpan.FromSeconds(1), options["depth"]);
    Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
        $"ops_per_cpu_second {Loop.Run(TimeSpan.FromSeconds(options["loop"]), options["depth"]):0}"));
    return;
}

Console.WriteLine("started");
Console.ReadLine();
int count = options["objects"];
AccountLoad.Direct.Maker.Run(count);
AccountLoad.Callbacks.Giver.Run(count);
AccountLoad.Exceptions.Thrower.Run(count / 30);
AccountLoad.Threads.Starter.Run(count);
AccountLoad.Reflection.Activated.Run(count);
AccountLoad.Lambdas.Closing.Run(count);
await AccountLoad.Asynchronous.Loader.Run(count);
AccountLoad.Generics.Cache<string>.Run(count);
AccountLoad.Arrays.Buffers.Run(count / 20);
AccountLoad.Kept.Keeper.Run(count);
GC.Collect();
GC.WaitForPendingFinalizers();
GC.Collect();
Expectations.Print();
Console.WriteLine("ready");
Console.ReadLine();
GC.KeepAlive(AccountLoad.Kept.Keeper.Held);

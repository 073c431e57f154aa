using System.Runtime.InteropServices;

namespace HeapMaker;

/// <summary>Threads that wait in a signal handler, which runs on the stack that the runtime gives each of its threads for signals.</summary>
internal static class AlternateStack
{
    private const int Signal = 10;  // SIGUSR1, which the runtime leaves alone
    private const int OnAlternateStack = 0x08000000;  // SA_ONSTACK

    /// <summary>The handler is sleep(3), so its argument, the signal's number, is how many seconds it takes.</summary>
    private static readonly bool Installed = Install();

    public static bool Wait()
    {
        return Installed && Raise(Signal) == 0;
    }

    private static bool Install()
    {
        var action = new SignalAction { Handler = NativeLibrary.GetExport(NativeLibrary.Load("libc.so.6"), "sleep"), Flags = OnAlternateStack };
        return SetAction(Signal, in action, 0) == 0;
    }

    [DllImport("libc", EntryPoint = "sigaction")]
    private static extern int SetAction(int signal, in SignalAction action, nint old);

    [DllImport("libc", EntryPoint = "raise")]
    private static extern int Raise(int signal);

    /// <summary>struct sigaction of 64-bit Linux.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 152)]
    private struct SignalAction
    {
        [FieldOffset(0)]
        public nint Handler;

        [FieldOffset(136)]
        public int Flags;
    }
}

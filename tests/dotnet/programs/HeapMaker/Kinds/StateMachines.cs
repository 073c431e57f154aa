namespace HeapMaker.Kinds;

/// <summary>Asynchronous methods that wait for what never comes, and iterators half way: what is local to them is a field.</summary>
internal sealed class StateMachines : IKind
{
    private readonly List<Task<int>> _tasks = [];
    private readonly List<IEnumerator<Local>> _iterators = [];
    private readonly TaskCompletionSource _never = new();

    public string Name => "state-machines";

    public void Make(int count)
    {
        for (int i = 0; i < count; i++)
        {
            _tasks.Add(Wait(new Awaiting(i)));
            IEnumerator<Local> iterator = Count(new Local(i)).GetEnumerator();
            iterator.MoveNext();
            _iterators.Add(iterator);
        }
    }

    private async Task<int> Wait(Awaiting local)
    {
        await _never.Task;
        return local.Number;
    }

    private static IEnumerable<Local> Count(Local local)
    {
        yield return local;
        yield return local;
    }

    public IEnumerable<(Type, long)> Expected()
    {
        if (_tasks.Count == 0)
        {
            return [];
        }
        return [(typeof(Awaiting), _tasks.Count), (_tasks[0].GetType(), _tasks.Count), (typeof(Local), _iterators.Count),
                (_iterators[0].GetType(), _iterators.Count)];
    }

    public bool Sound() => _tasks.TrueForAll(task => !task.IsCompleted) && _iterators.TrueForAll(iterator => iterator.Current != null);

    /// <summary>The task that never completes would keep its continuations.</summary>
    public void Drop()
    {
        _tasks.Clear();
        _iterators.Clear();
        _never.TrySetCanceled();
    }

    private sealed record Awaiting(int Number);

    private sealed record Local(int Number);
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FigureBook } from './figure-book.ts';

function linesOf(book: FigureBook): readonly string[] {
  const out: string[] = [];
  book.render(out);
  return out.filter((line) => !line.startsWith('#'));
}

test('a single value is shown from the start, one of labels once there is one', () => {
  const book = new FigureBook();
  const all = book.counter({ name: 'all_total', help: 'All.' });
  const some = book.counter({ name: 'some_total', help: 'Some.', labels: ['kind'] });
  book.spread({ name: 'took_seconds', help: 'How long.' }, [1]);
  const empty = ['took_seconds_bucket{le="1"} 0', 'took_seconds_bucket{le="+Inf"} 0'];
  const took = [...empty, 'took_seconds_sum 0', 'took_seconds_count 0'];
  assert.deepEqual(linesOf(book), ['all_total 0', ...took]);
  all.add();
  some.add(['a'], 2);
  some.add(['a']);
  assert.deepEqual(linesOf(book), ['all_total 1', 'some_total{kind="a"} 3', ...took]);
});

test('a name that is asked for again is the same figure', () => {
  const book = new FigureBook();
  book.counter({ name: 'x_total', help: 'X.' }).add();
  book.counter({ name: 'x_total', help: 'X.' }).add();
  assert.deepEqual(linesOf(book), ['x_total 2']);
});

test('gauges go, one by one or all, and are counted when they are shown', () => {
  const book = new FigureBook();
  const size = book.gauge({ name: 'size', help: 'Size.', labels: ['of'] });
  const end = book.beforeShown(() => size.set(['now'], 7));
  size.set(['a'], 1);
  size.set(['b'], 2);
  size.drop(['a']);
  size.drop(['never']);
  assert.deepEqual(linesOf(book), ['size{of="b"} 2', 'size{of="now"} 7']);
  end();
  size.clear();
  assert.deepEqual(linesOf(book), []);
  size.set(['c'], 3);
  assert.deepEqual(linesOf(book), ['size{of="c"} 3']);
});

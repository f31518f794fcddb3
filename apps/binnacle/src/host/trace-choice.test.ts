import assert from 'node:assert/strict';
import { test } from 'node:test';
import { traceChoice } from './trace-choice.ts';

test('components may be held where that was asked for', () => {
  assert.deepEqual(traceChoice({ trace: 'on', enablePauses: true }), { trace: true, pauses: true });
});

test('an export needs a trace, and somewhere to go', () => {
  assert.deepEqual(traceChoice({ trace: 'off' }), { trace: false, pauses: false });
  assert.deepEqual(traceChoice({ trace: 'on', traceOtlpEndpoint: 'http://localhost:4318' }), {
    trace: true,
    pauses: false,
  });
  assert.throws(() => traceChoice({ trace: 'off', traceOtlpEndpoint: 'http://localhost:4318' }), /--trace=off/);
  assert.throws(() => traceChoice({ trace: 'on', traceOtlpEndpoint: 'localhost:4318' }), /expected http:\/\/HOST:PORT/);
});

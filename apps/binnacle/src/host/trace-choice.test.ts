import assert from 'node:assert/strict';
import { test } from 'node:test';
import { traceChoice } from './trace-choice.ts';

test('an export needs a trace, and somewhere to go', () => {
  assert.deepEqual(traceChoice({ trace: 'off' }), { trace: false });
  assert.deepEqual(traceChoice({ trace: 'on', traceOtlpEndpoint: 'http://localhost:4318' }), { trace: true });
  assert.throws(() => traceChoice({ trace: 'off', traceOtlpEndpoint: 'http://localhost:4318' }), /--trace=off/);
  assert.throws(() => traceChoice({ trace: 'on', traceOtlpEndpoint: 'localhost:4318' }), /expected http:\/\/HOST:PORT/);
});

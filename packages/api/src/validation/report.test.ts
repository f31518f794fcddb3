import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fieldPath } from './path.ts';
import { Report } from './report.ts';

const PATH = fieldPath('a', 'b');

// Wording: upstream apimachinery pkg/util/validation/field/errors.go.
describe('reports', () => {
  const rows: [text: string, tell: (report: Report) => void][] = [
    ['a.b: Required value', (report) => report.required(PATH)],
    ['a.b: Required value: why', (report) => report.required(PATH, 'why')],
    ['a.b: Invalid value: "x": why', (report) => report.invalid(PATH, 'x', 'why')],
    ['a.b: Unsupported value: 1: supported values: "x", "y"', (report) => report.unsupported(PATH, 1, ['x', 'y'])],
    ['a.b: Forbidden: why', (report) => report.forbidden(PATH, 'why')],
    ['a.b: Duplicate value: "x"', (report) => report.duplicate(PATH, 'x')],
    ['a.b: Not found: "x"', (report) => report.notFound(PATH, 'x')],
    ['a.b: Too long: may not be more than 5 bytes', (report) => report.tooLong(PATH, 5)],
    ['a.b: Too many: 7: must have at most 5 items', (report) => report.tooMany(PATH, 7, 5)],
    ['a.b: Invalid value: -1: must be greater than or equal to 0', (report) => report.nonNegative(PATH, -1)],
    ['a.b: Invalid value: 1: field is immutable', (report) => report.immutable(PATH, 1, false)],
  ];
  for (const [text, tell] of rows) {
    it(text, () => {
      const report = new Report();
      tell(report);
      assert.deepEqual(
        report.errors.map((error) => error.toString()),
        [text],
      );
    });
  }

  it('is silent about what is right', () => {
    const report = new Report();
    report.nonNegative(PATH, 0);
    report.nonNegative(PATH, undefined);
    report.immutable(PATH, 1, true);
    report.invalidEach(PATH, 1, []);
    assert.deepEqual(report.errors, []);
  });
});

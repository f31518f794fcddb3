import assert from 'node:assert/strict';
import test from 'node:test';
import { BOOL, listOf, STRING } from '../types.ts';
import { ExpressionCompiler } from './compiler.ts';
import type { ExpressionScope } from './compiler.ts';

interface Row {
  readonly source: string;
  readonly scope?: ExpressionScope;
  /** The first line; absent: it is right. */
  readonly error?: string;
}

const undeclared = (at: number, name: string): string =>
  `compilation failed: ERROR: <input>:1:${at}: undeclared reference to '${name}' (in container '')`;

const ROWS: readonly Row[] = [
  {
    source:
      "object.any.thing == 'x' && request.userInfo.username == 'a' && namespaceObject.metadata.labels['a'] == 'b'",
  },
  { source: 'request.nope == 1', error: "compilation failed: ERROR: <input>:1:8: undefined field 'nope'" },
  { source: 'request.name', error: 'must evaluate to bool but got string' },
  { source: 'params == null', error: undeclared(1, 'params') },
  { source: 'params == null', scope: { hasParams: true } },
  { source: "authorizer.path('/x').check('get').allowed()", error: undeclared(1, 'authorizer') },
  {
    source: "authorizer.path('/x').check('get').allowed() && authorizer.requestResource.check('get').errored()",
    scope: { hasAuthorizer: true },
  },
  { source: 'Object{spec: 1} == Object{}', error: undeclared(7, 'Object') },
  {
    source: "Object{spec: Object.spec{a: 1}} == Object{} && [JSONPatch{op: 'add'}].size() == 1",
    scope: { hasPatches: true },
  },
  { source: "jsonpatch.escapeKey('a/b') == 'a~1b'", error: undeclared(1, 'jsonpatch') },
  { source: "jsonpatch.escapeKey('a/b') == 'a~1b'", scope: { hasPatches: true } },
  { source: 'variables.a', scope: { variables: new Map([['a', BOOL]]) } },
];

for (const { source, scope = {}, error } of ROWS) {
  test(`${error === undefined ? 'takes' : 'refuses'} ${source}`, () => {
    const compiled = new ExpressionCompiler().compile(source, [BOOL], scope);
    assert.equal(compiled.error?.split('\n')[0], error);
    assert.equal(compiled.program === undefined, error !== undefined);
  });
}

test('variables are declared for those after them; what is wrong with one leaves the others alone', () => {
  const compiler = new ExpressionCompiler();
  const scope: ExpressionScope = { variables: new Map() };
  compiler.compileVariable('names', "['a']", scope);
  assert.notEqual(compiler.compileVariable('wrong', 'nope', scope).error, undefined);
  assert.equal(compiler.compile('variables.names', [listOf(STRING)], scope).error, undefined);
  assert.equal(compiler.compile('variables.wrong.anything == 1', [BOOL], scope).error, undefined);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cpuMs } from '@binnacle/base/testing';
import { EnvFileError, variableInFile } from './env-file.ts';

describe('a variable in a file', () => {
  for (const { name, text, wanted } of [
    { name: 'plain', text: "K='v'\n", wanted: 'v' },
    { name: 'without a last newline', text: "K='v'", wanted: 'v' },
    { name: 'behind others, blanks and comments', text: "\n# K='no'\nA='1'\n  \t K='v'\n", wanted: 'v' },
    { name: 'the first of two', text: "K='1'\nK='2'\n", wanted: '1' },
    { name: 'with a comment behind it', text: "K='v' # why\n", wanted: 'v' },
    { name: 'empty', text: "K=''\n", wanted: '' },
    { name: 'nothing is assigned behind a blank', text: "K= 'v'\n", wanted: '' },
    { name: 'that blank does no harm to others', text: "A= what ever\nK='v'\n", wanted: 'v' },
    { name: 'what a shell would expand', text: 'K=\'$HOME ${X} \\n "q" #\'\n', wanted: '$HOME ${X} \\n "q" #' },
    { name: 'over several lines', text: "K='one\n\n  A=2\nthree'\n", wanted: 'one\n\n  A=2\nthree' },
    { name: 'behind one of several lines', text: "A='one\nK=\ntwo'\nK='v'\n", wanted: 'v' },
    { name: 'with equals signs', text: "K='a=b=c'\n", wanted: 'a=b=c' },
    { name: 'with lines ended as on Windows', text: "A='1'\r\nK='v'\r\n", wanted: 'v' },
    { name: 'what comes behind it does not matter', text: "K='v'\nnonsense\n", wanted: 'v' },
    { name: 'not there', text: "A='1'\n", wanted: undefined },
    { name: 'in an empty file', text: '', wanted: undefined },
  ]) {
    test(name, () => assert.equal(variableInFile(text, 'K'), wanted));
  }

  for (const { name, text, message } of [
    { name: 'no equals sign', text: "A='1'\nK\n", message: /line 2: missing '='/ },
    { name: 'no name', text: "='v'\n", message: /line 1: empty variable name/ },
    {
      name: 'a blank before the equals sign',
      text: "K ='v'\n",
      message: /line 1: whitespace before '=' is not allowed/,
    },
    { name: 'no quotes', text: 'K=v\n', message: /line 1: value must be enclosed in single quotes/ },
    { name: 'double quotes', text: 'K="v"\n', message: /line 1: value must be enclosed in single quotes/ },
    { name: 'nothing at all', text: 'K=\n', message: /line 1: value must be enclosed in single quotes/ },
    { name: 'two quoted texts', text: "K='a''b'\n", message: /line 1: unexpected content after closing quote/ },
    { name: 'never closed', text: "A='1'\nK='v\nw\n", message: /line 2: unclosed single quote/ },
    { name: 'never closed, at the end', text: "K='v", message: /line 1: unclosed single quote/ },
    { name: 'a line without end', text: `K='${'x'.repeat(70_000)}'`, message: /line 1: token too long/ },
  ]) {
    test(`refused: ${name}`, () => {
      assert.throws(
        () => variableInFile(text, 'K'),
        (error) => error instanceof EnvFileError && message.test(error.message),
      );
    });
  }

  test('a long file takes its length of time', () => {
    const text = `${"A='\n".repeat(1)}${'x\n'.repeat(200_000)}'\nK='v'\n`;
    const ms = cpuMs(() => assert.equal(variableInFile(text, 'K'), 'v'));
    assert.ok(ms < 2000, `${ms}`);
  });
});

/** What stories of refusals stand on: one kubectl as people use it. */
import assert from 'node:assert/strict';
import { kubectlOutput, lookUntil, runKubectl } from '@binnacle/testkit';
import type { Kubectl, KubectlResult } from '@binnacle/testkit';

/** One kubectl in a namespace of its own. Arguments are one line, and input is whatever becomes JSON. */
export interface Scene {
  readonly namespace: string;
  /** Runs it; the outcome is an answer, whatever it is. */
  readonly run: (line: string, input?: object) => Promise<KubectlResult>;
  /** What it said; fails where kubectl does. */
  readonly out: (line: string, input?: object) => Promise<string>;
  /** What it complained of, and that it failed; without the last line's end. */
  readonly fails: (line: string, input?: object) => Promise<string>;
  /** Runs it until what it says, complaints first, is as wanted: for what takes a moment to count. */
  readonly until: (line: string, says: RegExp, input?: object) => Promise<KubectlResult>;
}

/** How a story is begun: in a fresh namespace whose name begins so. */
export type Begin = (name: string) => Promise<Scene>;

/** Stories by their names. */
export interface Stories {
  readonly [name: string]: (begin: Begin) => Promise<void>;
}

/** One of a namespace that is there. */
export function sceneOf(tool: Kubectl, kubeconfig: string, namespace: string): Scene {
  const argsOf = (line: string): string[] => ['-n', namespace, ...line.split(' ')];
  const run = (line: string, input?: object): Promise<KubectlResult> =>
    runKubectl(tool, kubeconfig, argsOf(line), input === undefined ? undefined : JSON.stringify(input));
  return {
    namespace,
    run,
    out: (line, input) =>
      kubectlOutput(tool, kubeconfig, argsOf(line), input === undefined ? undefined : JSON.stringify(input)),
    async fails(line, input) {
      const { code, stdout, stderr } = await run(line, input);
      assert.notEqual(code, 0, `${line}: ${stdout}`);
      return stderr.trimEnd();
    },
    until: (line, says, input) =>
      lookUntil({
        what: `${line} to say ${says}`,
        look: () => run(line, input),
        until: ({ stdout, stderr }) => says.test(stderr + stdout),
      }),
  };
}

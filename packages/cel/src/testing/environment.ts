/** An environment for tables of tests: everything of Kubernetes, and variables that are not typed. */
import type { Environment } from '../check/environment.ts';
import { CompileError } from '../errors.ts';
import { kubernetesLibrary } from '../library.ts';
import { compile } from '../program.ts';
import { KUBERNETES_MACROS } from '../syntax/macros.ts';
import { DYN } from '../types.ts';
import type { Type } from '../types.ts';
import type { Value } from '../values.ts';

export function environment(variables: { readonly [name: string]: Type } = {}): Environment {
  return {
    functions: kubernetesLibrary(),
    macros: KUBERNETES_MACROS,
    variables: new Map(Object.entries(variables)),
    objects: new Map(),
    isHomogeneous: true,
  };
}

/** What an expression comes to: its value, or the first line of what is wrong with it. */
export function answer(source: string, variables: { readonly [name: string]: Value } = {}): Value | Error {
  const types = Object.fromEntries(Object.keys(variables).map((name) => [name, DYN]));
  try {
    const { value, error } = compile(source, environment(types)).run(new Map(Object.entries(variables)), 10_000_000);
    return value ?? (error instanceof Error ? error : null);
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    return error;
  }
}

/** The message of an answer that is an error. */
export function complaint(source: string, variables: { readonly [name: string]: Value } = {}): string {
  const given = answer(source, variables);
  return given instanceof Error ? (given.message.split('\n')[0] ?? '') : 'no error';
}

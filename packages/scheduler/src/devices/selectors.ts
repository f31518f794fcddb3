import {
  BOOL,
  compile,
  CompileError,
  DYN,
  kubernetesLibrary,
  KUBERNETES_MACROS,
  mapOf,
  plain,
  STRING,
} from '@binnacle/cel';
import type { Environment, Program, Type, Value } from '@binnacle/cel';
import type { Device } from '@binnacle/api/resource/v1';
import { messageOf } from '@binnacle/base';
import { deviceValue } from './device-value.ts';
import { SelectorError } from './errors.ts';

/** Upstream's limit of what one look at one device may cost. */
const COST_MAX = 1_000_000;
/** Expressions that are kept compiled; the oldest goes. */
const COMPILED_MAX = 100;

const FIELDS: ReadonlyMap<string, Type> = new Map([
  ['driver', STRING],
  ['allowMultipleAllocations', BOOL],
  ['attributes', mapOf(STRING, mapOf(STRING, DYN))],
  ['capacity', mapOf(STRING, mapOf(STRING, plain('kubernetes.Quantity')))],
]);

/** Answers whether devices are what expressions ask for. Devices are told apart by identity: caches never write into them. */
export class DeviceSelectors {
  readonly #environment: Environment = {
    functions: kubernetesLibrary(),
    macros: KUBERNETES_MACROS,
    variables: new Map([
      ['device', { kind: 'object', name: 'kubernetes.DRADevice', field: (name: string) => FIELDS.get(name) }],
    ]),
    objects: { get: () => undefined },
    isHomogeneous: true,
  };
  readonly #programs = new Map<string, Program>();
  readonly #values = new WeakMap<Device, Value>();
  readonly #answers = new WeakMap<Device, Map<Program, boolean>>();

  /** Throws SelectorError where the expression is wrong, or fails on this device. */
  matches(expression: string, driver: string, device: Device): boolean {
    const program = this.#program(expression);
    const known = this.#answers.get(device) ?? new Map<Program, boolean>();
    this.#answers.set(device, known);
    let answer = known.get(program);
    if (answer === undefined) {
      answer = this.#ask(program, driver, device);
      known.set(program, answer);
    }
    return answer;
  }

  #ask(program: Program, driver: string, device: Device): boolean {
    try {
      const value = this.#values.get(device) ?? deviceValue(driver, device);
      this.#values.set(device, value);
      const { value: answer, error } = program.run(new Map([['device', value]]), COST_MAX);
      if (error !== undefined) throw new SelectorError(`CEL runtime error: ${messageOf(error)}`, error);
      if (typeof answer !== 'boolean') throw new SelectorError('CEL runtime error: the result is no bool');
      return answer;
    } catch (error) {
      if (error instanceof SelectorError) throw error;
      throw new SelectorError(`CEL runtime error: ${messageOf(error)}`, error);
    }
  }

  #program(expression: string): Program {
    const known = this.#programs.get(expression);
    if (known !== undefined) return known;
    try {
      const program = compile(expression, this.#environment);
      if (this.#programs.size >= COMPILED_MAX) {
        for (const oldest of this.#programs.keys()) {
          this.#programs.delete(oldest);
          break;
        }
      }
      this.#programs.set(expression, program);
      return program;
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      throw new SelectorError(`CEL compile error: compilation failed: ${error.message}`, error);
    }
  }
}

import type { Device, DeviceAttribute, DeviceConstraint } from '@binnacle/api/resource/v1';
import { ClaimError } from './errors.ts';

/** What has to hold of all devices of some requests together. */
export interface Constraint {
  /** Whether the device may be added; it is, if so. */
  add(requestNames: readonly string[], driver: string, device: Device): boolean;
  /** Takes back what was added last, for these requests. */
  remove(requestNames: readonly string[]): void;
}

/** The constraints of a claim. Throws ClaimError for one that nobody knows. `where`: the claim, for the message. */
export function constraintsOf(constraints: readonly DeviceConstraint[], where: string): readonly Constraint[] {
  return constraints.map(({ requests = [], matchAttribute, distinctAttribute }, i) => {
    if (matchAttribute !== undefined) return new AttributeConstraint(requests, matchAttribute, 'same');
    if (distinctAttribute !== undefined) return new AttributeConstraint(requests, distinctAttribute, 'distinct');
    throw new ClaimError(`claim ${where}, constraint #${i}: empty constraint (unsupported constraint type?)`);
  });
}

/** All devices have one value of an attribute, or each another one; a device without it fits neither. */
class AttributeConstraint implements Constraint {
  readonly #requests: readonly string[];
  readonly #attribute: string;
  readonly #mode: 'same' | 'distinct';
  readonly #values: string[] = [];

  constructor(requests: readonly string[], attribute: string, mode: 'same' | 'distinct') {
    this.#requests = requests;
    this.#attribute = attribute;
    this.#mode = mode;
  }

  add(requestNames: readonly string[], driver: string, device: Device): boolean {
    if (!this.#concerns(requestNames)) return true;
    const value = valueOf(attributeOf(device, driver, this.#attribute));
    if (value === undefined) return false;
    const fits = this.#mode === 'same' ? (this.#values[0] ?? value) === value : !this.#values.includes(value);
    if (fits) this.#values.push(value);
    return fits;
  }

  remove(requestNames: readonly string[]): void {
    if (this.#concerns(requestNames)) this.#values.pop();
  }

  #concerns(requestNames: readonly string[]): boolean {
    return this.#requests.length === 0 || requestNames.some((name) => this.#requests.includes(name));
  }
}

/** By its full name; what a driver says of itself needs no domain. */
function attributeOf({ attributes = {} }: Device, driver: string, name: string): DeviceAttribute | undefined {
  if (Object.hasOwn(attributes, name)) return attributes[name];
  const own = name.startsWith(`${driver}/`) ? name.slice(driver.length + 1) : undefined;
  return own !== undefined && Object.hasOwn(attributes, own) ? attributes[own] : undefined;
}

function valueOf(attribute: DeviceAttribute | undefined): string | undefined {
  if (attribute === undefined) return undefined;
  const { int, bool, string, version } = attribute;
  if (int !== undefined) return `int ${int}`;
  if (bool !== undefined) return `bool ${bool}`;
  if (string !== undefined) return `string ${string}`;
  return version === undefined ? undefined : `version ${version}`;
}

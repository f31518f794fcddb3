/**
 * Where in an object a validator stands: one link per step. The text is made only when there is a mistake to
 * report, so that walking a right object costs a few small allocations.
 */
export class FieldPath {
  readonly parent: FieldPath | undefined;
  /** A field's name, or `[…]` with an index or a key. */
  readonly step: string | number;

  constructor(step: string | number, parent?: FieldPath) {
    this.step = step;
    this.parent = parent;
  }

  /** `path.name` */
  child(name: string): FieldPath {
    return new FieldPath(name, this);
  }

  /** `path[3]` */
  index(at: number): FieldPath {
    return new FieldPath(at, this);
  }

  /** `path[key]` */
  key(key: string): FieldPath {
    return new FieldPath(`[${key}]`, this);
  }

  toString(): string {
    const { step } = this;
    const parent = this.parent?.toString();
    if (typeof step === 'number') return `${parent ?? ''}[${step}]`;
    if (parent === undefined) return step;
    return step.startsWith('[') ? `${parent}${step}` : `${parent}.${step}`;
  }
}

/** A path from the object's top: `fieldPath('spec', 'replicas')`. */
export function fieldPath(first: string, ...rest: string[]): FieldPath {
  let path = new FieldPath(first);
  for (const name of rest) path = path.child(name);
  return path;
}

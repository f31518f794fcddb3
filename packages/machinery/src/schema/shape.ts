/**
 * Objects of exactly the size that they need. An object that grows from `{}` gets a second block of memory for all
 * but its first properties; one that comes from a constructor gets, after a few of them, room for just what its
 * siblings had. A pod takes two fifths less that way, and 150,000 of them are kept in memory. The objects are plain:
 * their prototype is that of `{}`.
 */

export type JsonObject = { [key: string]: unknown };

/** Makes empty objects for one set of fields. */
export type Shape = new () => JsonObject;

/** A constructor of its own for one set of fields: the engine learns the size per constructor. */
export function createShape(): Shape {
  const shape = function (this: JsonObject): void {
    if (new.target !== undefined) return;
    // Never reached. The engine counts these assignments to know how many properties there may be at most.
    this.a0 = 0;
    this.a1 = 0;
    this.a2 = 0;
    this.a3 = 0;
    this.a4 = 0;
    this.a5 = 0;
    this.a6 = 0;
    this.a7 = 0;
    this.a8 = 0;
    this.a9 = 0;
    this.b0 = 0;
    this.b1 = 0;
    this.b2 = 0;
    this.b3 = 0;
    this.b4 = 0;
    this.b5 = 0;
    this.b6 = 0;
    this.b7 = 0;
    this.b8 = 0;
    this.b9 = 0;
  };
  shape.prototype = Object.prototype;
  return shape as unknown as Shape;
}

/** How many sets of fields one struct keeps a shape for; objects with further sets grow from `{}`. */
const SHAPES_MAX = 64;

/** The shapes of one struct, by the bits of the fields that are written. */
export class ShapeCache {
  readonly #byBits = new Map<number, Shape>();

  /** An empty object for the fields of two masks of thirty bits. */
  create(low: number, high: number): JsonObject {
    // The sum is exact up to 2^53, and beyond it two sets may share a shape, which costs room and nothing else.
    const bits = low + high * 0x40000000;
    let shape = this.#byBits.get(bits);
    if (shape === undefined) {
      if (this.#byBits.size === SHAPES_MAX) return {};
      shape = createShape();
      this.#byBits.set(bits, shape);
    }
    return new shape();
  }
}

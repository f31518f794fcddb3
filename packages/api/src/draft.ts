/** A fresh object that is not shared yet and may be written into: `T` without its `readonly`, all the way down. */
export type Draft<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer E)[]
    ? Draft<E>[]
    : { -readonly [K in keyof T]: Draft<T[K]> };

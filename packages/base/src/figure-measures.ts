/** A figure as Prometheus shows it. */
export interface NamedFigure {
  readonly name: string;
  readonly help: string;
  /** Absent: it is a single value, shown from the start. Otherwise one for each combination of them, shown once there is one. */
  readonly labels?: readonly string[];
}

/** What only grows. Values are in the order of the labels. */
export interface CountFigure {
  add(values?: readonly string[], by?: number): void;
}

/** What goes up and down. */
export interface GaugeFigure {
  set(values: readonly string[], value: number): void;
  /** There is none of these labels any more; there may never have been. */
  drop(values: readonly string[]): void;
  /** There is none at all. */
  clear(): void;
}

/** How something is distributed. */
export interface SpreadFigure {
  observe(values: readonly string[], value: number): void;
}

/** Who keeps a component's figures. A name that is asked for again is the same figure; what it may grow to is bounded there. */
export interface FigureMeasures {
  counter(named: NamedFigure): CountFigure;
  gauge(named: NamedFigure): GaugeFigure;
  /** `bounds`: upper, ascending. */
  spread(named: NamedFigure, bounds: readonly number[]): SpreadFigure;
  /** `refresh` is called before figures are shown, for what is counted only then. Answers how to end that. */
  beforeShown(refresh: () => void): () => void;
}

const ignore = (): void => undefined;

/** Nobody keeps any. */
export const NO_FIGURES: FigureMeasures = {
  counter: () => ({ add: ignore }),
  gauge: () => ({ set: ignore, drop: ignore, clear: ignore }),
  spread: () => ({ observe: ignore }),
  beforeShown: () => ignore,
};

/** Bounds that grow by a factor, as upstream's ExponentialBuckets. */
export function exponentialBounds(first: number, factor: number, count: number): readonly number[] {
  const bounds: number[] = [];
  for (let bound = first; bounds.length < count; bound *= factor) bounds.push(bound);
  return bounds;
}

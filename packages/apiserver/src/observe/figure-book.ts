import type { CountFigure, FigureMeasures, GaugeFigure, NamedFigure, SpreadFigure } from '@binnacle/base';
import { CounterFamily, HistogramFamily } from './series.ts';
import type { Figures } from './series.ts';

const NONE: readonly string[] = [];

/** Figures of components of a process, under the names that they give them; `render` adds them in Prometheus' text form. */
export class FigureBook implements FigureMeasures, Figures {
  readonly #families = new Map<string, Family>();
  readonly #refreshes = new Set<() => void>();

  counter(named: NamedFigure): CountFigure {
    return this.#family(named.name, () => Single.of(named, 'counter'));
  }

  gauge(named: NamedFigure): GaugeFigure {
    return this.#family(named.name, () => Single.of(named, 'gauge'));
  }

  spread(named: NamedFigure, bounds: readonly number[]): SpreadFigure {
    return this.#family(named.name, () => new Spread(named, bounds));
  }

  beforeShown(refresh: () => void): () => void {
    this.#refreshes.add(refresh);
    return () => {
      this.#refreshes.delete(refresh);
    };
  }

  render(out: string[]): void {
    for (const refresh of this.#refreshes) refresh();
    for (const family of this.#families.values()) family.render(out);
  }

  #family<T extends Family>(name: string, make: () => T): T {
    const known = this.#families.get(name);
    // One name is one sort of figure: who asks for it twice is the same controller of another term.
    if (known !== undefined) return known as T;
    const family = make();
    this.#families.set(name, family);
    return family;
  }
}

type Family = Single | Spread;

class Single implements CountFigure, GaugeFigure, Figures {
  readonly #make: () => CounterFamily;
  #family: CounterFamily;

  private constructor(make: () => CounterFamily) {
    this.#make = make;
    this.#family = make();
  }

  static of({ name, help, labels }: NamedFigure, type: 'counter' | 'gauge'): Single {
    return new Single(() => {
      const family = new CounterFamily({ name, help, labels: labels ?? NONE, type });
      if (labels === undefined) family.set(NONE, 0);
      return family;
    });
  }

  add(values = NONE, by = 1): void {
    this.#family.add(values, by);
  }

  set(values: readonly string[], value: number): void {
    this.#family.set(values, value);
  }

  drop(values: readonly string[]): void {
    this.#family.drop(values);
  }

  clear(): void {
    this.#family = this.#make();
  }

  render(out: string[]): void {
    this.#family.render(out);
  }
}

class Spread implements SpreadFigure, Figures {
  readonly #family: HistogramFamily;

  constructor({ name, help, labels }: NamedFigure, bounds: readonly number[]) {
    this.#family = new HistogramFamily({ name, help, labels: labels ?? NONE }, bounds);
    if (labels === undefined) this.#family.series(NONE);
  }

  observe(values: readonly string[], value: number): void {
    this.#family.observe(values, value);
  }

  render(out: string[]): void {
    this.#family.render(out);
  }
}

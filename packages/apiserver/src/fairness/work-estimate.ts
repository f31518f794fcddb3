import type { Work } from './fair-queue.ts';

/** Upstream's defaults (WorkEstimatorConfig of v1.36; lists by the size of their objects). */
const SEATS_MAX = { list: 100, mutating: 10 };
const BYTES_PER_SEAT = 100_000;
/** A list out of the cache goes out piece by piece: no more than this is held for it at once. */
const CACHED_LIST_BYTES_MAX = 1_000_000;
const WATCHERS_PER_SEAT = 10;
const SECONDS_PER_EVENT = 0.005;
const ONE_SEAT: Work = { initialSeats: 1, finalSeats: 0, lingerSeconds: 0 };

/** What is stored of a resource. */
export interface Stock {
  readonly objects: number;
  /** Of all objects together. */
  readonly bytes: number;
}

/** A list, or a watch that begins with one. */
export interface ListShape {
  /** Of one object only, by its name. */
  readonly single: boolean;
  /** At most so many; 0: all. */
  readonly limit: number;
  readonly selective: boolean;
  readonly cached: boolean;
}

/** The seats of a list: one for each 100 kB that it holds at once. `seatsMax`: of the level; undefined: no bound of its own. */
export function listWork(stock: Stock, shape: ListShape, seatsMax: number | undefined): Work {
  const { objects, bytes } = stock;
  const asked = shape.limit > 0 ? Math.min(shape.limit, objects) : objects;
  const loaded = shape.single ? 1 : shape.selective && !shape.cached ? Math.max(asked, Math.floor(objects / 2)) : asked;
  const held = objects === 0 ? 0 : (loaded * bytes) / objects;
  const bound = shape.cached ? Math.min(held, CACHED_LIST_BYTES_MAX) : held;
  const initialSeats = within(Math.ceil(bound / BYTES_PER_SEAT), seatsMax, SEATS_MAX.list);
  return { initialSeats, finalSeats: 0, lingerSeconds: 0 };
}

/** The seats of a write: it also sets going what is done for each of those who watch. */
export function mutatingWork(watchers: number, seatsMax: number | undefined): Work {
  if (watchers < WATCHERS_PER_SEAT) return ONE_SEAT;
  const wanted = Math.ceil(watchers / WATCHERS_PER_SEAT);
  const finalSeats = within(wanted, seatsMax, SEATS_MAX.mutating);
  return { initialSeats: 1, finalSeats, lingerSeconds: (wanted * SECONDS_PER_EVENT) / finalSeats };
}

/** Everything else. */
export function plainWork(): Work {
  return ONE_SEAT;
}

function within(seats: number, levelMax: number | undefined, max: number): number {
  return Math.max(1, Math.min(seats, levelMax ?? max, max));
}

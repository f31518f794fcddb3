import { createElement, lazy } from 'react';
import type { ComponentType, ReactNode } from 'react';
import { messageOf } from '@binnacle/base';
import { again } from '../api/again.ts';

/** A part of the page did not come, however often it was asked for. */
export class PartError extends Error {
  /** Whoever draws it next asks for it anew. */
  readonly forget: () => void;

  constructor(message: string, forget: () => void) {
    super(message);
    this.name = 'PartError';
    this.forget = forget;
  }
}

/** A part of the page that is loaded when it is first drawn. Where it does not come, drawing it throws PartError until that is forgotten. */
export function part<Props extends object>(load: () => Promise<ComponentType<Props>>): (props: Props) => ReactNode {
  const begin = () =>
    lazy(async () => {
      try {
        return { default: await again(load) };
      } catch (error) {
        throw new PartError(messageOf(error), () => {
          Loaded = begin();
        });
      }
    });
  let Loaded = begin();
  return (props) => createElement(Loaded as ComponentType<Props>, props);
}

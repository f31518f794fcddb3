import { Loader, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../texts/use-text.ts';
import classes from './loading.module.css';

interface LoadingProps {
  readonly size?: 'sm' | 'md';
  /** Around it, as of a page that is not there yet. */
  readonly isWide?: boolean;
}

/** What is on its way. Told and shown after a moment only: most things are there before anybody could have read it. */
export function Loading({ size = 'md', isWide = false }: LoadingProps): ReactNode {
  const text = useText();
  return (
    <div role="status" className={isWide ? `${classes['late']} ${classes['wide']}` : classes['late']}>
      <Loader size={size} aria-hidden />
      <VisuallyHidden>{text.loading}</VisuallyHidden>
    </div>
  );
}

/** The same, above a page that stays where it is. */
export function LoadingAbove(): ReactNode {
  return (
    <div className={classes['above']}>
      <Loading />
    </div>
  );
}

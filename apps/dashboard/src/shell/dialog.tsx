import { Modal } from '@mantine/core';
import type { ModalProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../texts/use-text.ts';

/** A dialog above the page. */
export function Dialog(props: Omit<ModalProps, 'opened'>): ReactNode {
  const text = useText();
  // The page itself never scrolls, and the lock would write a style that the page's policy forbids.
  return <Modal opened centered lockScroll={false} closeButtonProps={{ 'aria-label': text.close }} {...props} />;
}

import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';
import { addressOf, useRoute } from './use-route.ts';

/**
 * Where somebody comes to by keys (a row, a letter), what had the focus may be gone, and the next Tab would begin with the
 * whole menu: then the page's content has it. What comes back is the content's element.
 */
export function useArrival(): RefObject<HTMLElement | null> {
  const content = useRef<HTMLElement>(null);
  const address = addressOf(useRoute());
  const before = useRef(address);
  useEffect(() => {
    if (before.current === address) return;
    before.current = address;
    const { activeElement, body } = document;
    if (activeElement === null || activeElement === body) content.current?.focus({ preventScroll: true });
  }, [address]);
  return content;
}

import { Kbd, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useCallback, useEffect, useId, useRef, useState } from 'react';
import type { KeyboardEvent, ReactNode, RefObject } from 'react';
import { typedAhead } from '../keys/typed-ahead.ts';
import { SEARCH_FIELD } from '../keys/use-keys.ts';
import { useKinds } from '../kinds/use-kinds.ts';
import { go, useRoute } from '../route/use-route.ts';
import { Dialog } from '../shell/dialog.tsx';
import { useText } from '../texts/use-text.ts';
import { findKinds, findObjects } from './find.ts';
import type { Found, KnownObject } from './find.ts';
import classes from './palette.module.css';
import { readObjects } from './read-objects.ts';

interface PaletteProps {
  /** `kinds`: of kinds alone. */
  readonly scope: 'search' | 'kinds';
  readonly onClose: () => void;
}

/** Search over everything: kinds by their names and short names, objects of every kind by theirs. */
export function Palette({ scope, onClose }: PaletteProps): ReactNode {
  const text = useText();
  const listId = useId();
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState(0);
  const found = useFound(scope, query);
  const ask = useCallback((change: (text: string) => string): void => {
    setQuery(change);
    setChosen(0);
  }, []);
  const { field, isEntered, taken } = useTypedAhead(ask);
  const choose = (one: Found | undefined): void => {
    if (one === undefined) return;
    onClose();
    go(one.to);
  };
  useEffect(() => {
    if (!isEntered) return;
    taken();
    choose(found[chosen]);
  });
  const onKey = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (event.key === 'Enter') choose(found[chosen]);
    if (step !== 0) setChosen(Math.max(0, Math.min(found.length - 1, chosen + step)));
    if (step !== 0 || event.key === 'Enter') event.preventDefault();
  };
  const label = scope === 'kinds' ? text.kinds : text.searchAll;
  return (
    <Dialog onClose={onClose} withCloseButton={false} padding="xs" aria-label={label}>
      <Stack gap="xs">
        <TextInput
          ref={field}
          data-autofocus
          {...{ [SEARCH_FIELD]: true }}
          role="combobox"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={`${listId}-${chosen}`}
          aria-label={label}
          placeholder={label}
          value={query}
          onChange={({ currentTarget: { value } }) => ask(() => value)}
          // What was typed ahead goes on being written behind it.
          onFocus={({ currentTarget: input }) => input.setSelectionRange(input.value.length, input.value.length)}
          onKeyDown={onKey}
          rightSection={<Kbd size="xs">Esc</Kbd>}
          rightSectionWidth={48}
        />
        <FoundList id={listId} label={label} found={found} chosen={chosen} onChoose={choose} />
        {found.length === 0 ? (
          <Text c="dimmed" size="sm" role="status">
            {text.nothing}
          </Text>
        ) : null}
      </Stack>
    </Dialog>
  );
}

interface FoundListProps {
  readonly id: string;
  readonly label: string;
  readonly found: readonly Found[];
  readonly chosen: number;
  readonly onChoose: (one: Found) => void;
}

function FoundList({ id, label, found, chosen, onChoose }: FoundListProps): ReactNode {
  return (
    <div id={id} role="listbox" aria-label={label} className={classes['list']}>
      {found.map((one, at) => (
        <UnstyledButton
          key={one.id}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === chosen}
          tabIndex={-1}
          className={classes['option']}
          ref={(element) => {
            if (at === chosen) element?.scrollIntoView({ block: 'nearest' });
          }}
          onClick={() => onChoose(one)}
        >
          <span>{one.label}</span>
          <span className={classes['note']}>{one.note}</span>
        </UnstyledButton>
      ))}
    </div>
  );
}

interface TypedBefore {
  readonly field: RefObject<HTMLInputElement | null>;
  /** The line was ended before the field was there. */
  readonly isEntered: boolean;
  readonly taken: () => void;
}

/** What was typed before the field was there, or beside it. */
function useTypedAhead(ask: (change: (text: string) => string) => void): TypedBefore {
  const field = useRef<HTMLInputElement>(null);
  const [isEntered, setEntered] = useState(false);
  useEffect(
    () =>
      typedAhead.attach({
        edit(change) {
          ask(change);
          field.current?.focus();
        },
        enter: () => setEntered(true),
      }),
    [ask],
  );
  return { field, isEntered, taken: () => setEntered(false) };
}

/** Kinds first; objects from the second letter on, as they are read. */
function useFound(scope: PaletteProps['scope'], query: string): readonly Found[] {
  const kinds = useKinds();
  const route = useRoute();
  const namespace = 'namespace' in route ? route.namespace : '';
  const [objects, setObjects] = useState<readonly KnownObject[]>([]);
  const isDeep = scope === 'search' && query.trim().length > 1;
  useEffect(() => {
    if (!isDeep) return undefined;
    const gone = new AbortController();
    setObjects([]);
    const tell = (more: readonly KnownObject[]): void => setObjects((now) => [...now, ...more]);
    // Where even that fails, kinds are still found.
    readObjects(kinds, { namespace: '', signal: gone.signal, tell }).catch(() => undefined);
    return () => gone.abort();
  }, [kinds, isDeep]);
  const ofKinds = findKinds(kinds, query, namespace);
  return isDeep ? [...ofKinds.slice(0, 8), ...findObjects(objects, query)] : ofKinds;
}

import { Button, Checkbox, Popover, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { Column } from '../live/rows.ts';
import type { ListRoute } from '../route/route.ts';
import { useText } from '../texts/use-text.ts';

interface ListLookProps {
  readonly route: ListRoute;
  readonly columns: readonly Column[];
  readonly onChange: (part: Partial<ListRoute>) => void;
}

/** By which labels and fields the server selects, and whether all columns are shown. */
export function ListLook({ route, columns, onChange }: ListLookProps): ReactNode {
  const text = useText();
  const isSelected = route.labels !== '' || route.fields !== '';
  const hasMore = columns.some(({ priority }) => priority > 0);
  return (
    <Popover trapFocus returnFocus withinPortal={false} position="bottom-end" width={320}>
      <Popover.Target>
        <Button size="xs" variant={isSelected ? 'light' : 'default'} aria-haspopup="dialog">
          {text.selectors}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={text.selectors}>
        <Stack gap="xs">
          <SelectorInput
            label={text.labels}
            example="app=web,tier in (a,b)"
            value={route.labels}
            onChoose={(labels) => onChange({ labels })}
          />
          <SelectorInput
            label={text.fields}
            example="spec.nodeName=node-0"
            value={route.fields}
            onChoose={(fields) => onChange({ fields })}
          />
          <Checkbox
            label={text.wide}
            checked={route.isWide}
            disabled={!hasMore}
            onChange={(event) => onChange({ isWide: event.currentTarget.checked })}
          />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

interface SelectorInputProps {
  readonly label: string;
  readonly example: string;
  readonly value: string;
  readonly onChoose: (selector: string) => void;
}

/** Asked with Enter or on leaving: half a selector is none that a server takes. */
function SelectorInput({ label, example, value, onChoose }: SelectorInputProps): ReactNode {
  const [draft, setDraft] = useState(value);
  const choose = (): void => {
    if (draft.trim() !== value) onChoose(draft.trim());
  };
  return (
    <TextInput
      size="xs"
      label={label}
      placeholder={example}
      value={draft}
      onChange={(event) => setDraft(event.currentTarget.value)}
      onBlur={choose}
      onKeyDown={(event) => {
        if (event.key === 'Enter') choose();
      }}
    />
  );
}

import { ActionIcon, Button, useMantineColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { chooseLanguage, currentLanguage, useText } from '../texts/use-text.ts';

interface ToolsProps {
  readonly onLogOut: () => void;
  readonly onHelp: () => void;
}

/** What a viewer chooses for himself: language, colours, keys, to go. */
export function Tools({ onLogOut, onHelp }: ToolsProps): ReactNode {
  const text = useText();
  const { toggleColorScheme } = useMantineColorScheme();
  return (
    <>
      <Button
        variant="subtle"
        size="compact-sm"
        onClick={() => chooseLanguage(currentLanguage() === 'en' ? 'ko' : 'en')}
      >
        {text.language}
      </Button>
      <ActionIcon variant="subtle" onClick={() => toggleColorScheme()} aria-label={text.light}>
        ◐
      </ActionIcon>
      <ActionIcon variant="subtle" onClick={onHelp} aria-label={text.keys}>
        ?
      </ActionIcon>
      <Button variant="subtle" size="compact-sm" onClick={onLogOut}>
        {text.logOut}
      </Button>
    </>
  );
}

import { Alert, Button, Stack, Text } from '@mantine/core';
import { Component } from 'react';
import type { ReactNode } from 'react';
import { useText } from '../texts/use-text.ts';

interface BoundaryProps {
  /** Another place is drawn anew. */
  readonly place: string;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly error: Error | undefined;
  readonly place: string;
}

/** What cannot be drawn (a part that did not load, an object that nobody thought of) takes the menu with it no more. */
export class ErrorBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { error: undefined, place: this.props.place };

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { error: error instanceof Error ? error : new TypeError(String(error)) };
  }

  static getDerivedStateFromProps({ place }: BoundaryProps, state: BoundaryState): Partial<BoundaryState> | null {
    return place === state.place ? null : { error: undefined, place };
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error === undefined ? this.props.children : <Broken message={error.message} />;
  }
}

function Broken({ message }: { readonly message: string }): ReactNode {
  const text = useText();
  return (
    <Stack gap="sm" align="flex-start">
      <Alert color="red" role="alert" title={text.cannotDraw}>
        <Text size="sm">{message}</Text>
      </Alert>
      <Button size="xs" onClick={() => location.reload()}>
        {text.tryAgain}
      </Button>
    </Stack>
  );
}

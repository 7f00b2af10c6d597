import type { ComponentProps, KeyboardEvent, ReactNode } from "react";
import { piecesOf } from "../core/marks";
import { Icon, type IconName } from "./icons";

/** A sentence with its code as code. */
export function worded(text: string): ReactNode {
  return piecesOf(text).map((piece, k) => {
    if (typeof piece === "string") return piece;
    const [Tag, words] = piece;
    // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its place
    return <Tag key={k}>{words}</Tag>;
  });
}

/** Arrows go from button to button within what listens, and round at its ends. */
export function walkButtons(event: KeyboardEvent<HTMLElement>): void {
  const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!move) return;
  event.preventDefault();
  event.stopPropagation();
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>("button:not(:disabled)")];
  const now = buttons.findIndex((b) => b.matches(":focus"));
  buttons[(now + move + buttons.length) % buttons.length]?.focus();
}

interface IconButtonProps {
  readonly icon: IconName;
  /** Name and tooltip, with the key in brackets. */
  readonly label: string;
  readonly onClick: () => void;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  readonly testId?: string;
  readonly small?: boolean;
}

export function IconButton({ icon, label, onClick, disabled, pressed, testId, small }: IconButtonProps) {
  return (
    <button
      type="button"
      className={`ds-icon-button ${small ? "ds-small" : ""}`}
      aria-label={label.replace(/ \([^)]*\)$/, "")}
      aria-pressed={pressed}
      title={label}
      disabled={disabled}
      data-testid={testId}
      onClick={onClick}
    >
      <Icon name={icon} size={small ? 12 : 14} />
    </button>
  );
}

interface CloseProps {
  readonly label?: string;
  readonly onClick: () => void;
}

export function CloseButton({ label = "Close (Esc)", onClick }: CloseProps) {
  return <IconButton icon="cross" label={label} small onClick={onClick} />;
}

/** A button that looks as a link does. */
export function LinkButton(props: ComponentProps<"button">) {
  return <button type="button" className="ds-link" {...props} />;
}

/** A button with words; of several, the primary one is what most people want. */
export function SmallButton({ primary, ...rest }: ComponentProps<"button"> & { readonly primary?: boolean }) {
  return <button type="button" className={`ds-button ds-button-small ${primary ? "ds-primary" : ""}`} {...rest} />;
}

interface SwitchProps {
  readonly id?: string;
  readonly label: string;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
  readonly testId?: string;
  readonly disabled?: boolean;
}

export function Switch({ id, label, on, onChange, testId, disabled }: SwitchProps) {
  return (
    <button
      id={id}
      type="button"
      role="switch"
      aria-checked={on}
      aria-label={label}
      className="ds-switch"
      data-testid={testId}
      disabled={disabled}
      onClick={() => onChange(!on)}
    />
  );
}

interface SegmentsProps<T extends string> {
  readonly label: string;
  readonly options: readonly T[];
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly testId: string;
}

/** A small choice between a few words. */
export function Segments<T extends string>({ label, options, value, onChange, testId }: SegmentsProps<T>) {
  return (
    <div className="ds-segments ds-segments-small" role="radiogroup" aria-label={label}>
      {options.map((option) => (
        // biome-ignore lint/a11y/useSemanticElements: looks like the device choice, which has two lines of text
        <button
          key={option}
          type="button"
          role="radio"
          aria-checked={option === value}
          data-testid={`${testId}-${option}`}
          onClick={() => onChange(option)}
        >
          {option}
        </button>
      ))}
    </div>
  );
}

export function Section({
  title,
  note,
  children,
}: {
  readonly title?: string;
  readonly note?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className="ds-section" aria-label={title}>
      {title && (
        <h5 className="ds-section-title">
          {title}
          {note && <span>{note}</span>}
        </h5>
      )}
      {children}
    </section>
  );
}

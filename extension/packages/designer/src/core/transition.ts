import { type BaseType, type Selection, selection } from "d3-selection";

type Chosen = Selection<Element, unknown, BaseType, unknown>;
type Tween = (this: Element, datum: unknown) => (share: number) => void;
type Listener = (this: Element) => void;

const running = new WeakMap<Element, Transition>();

/** End what moves an element. */
export function interrupt(element: Element): void {
  running.get(element)?.stop();
}

/**
 * What D3's zoom needs of D3's transitions, which would take ten times as much of the bundle: one tween of one element,
 * which the next one or a gesture ends.
 */
class Transition {
  private readonly listeners: (readonly [string, Listener])[] = [];
  private readonly element: Element | null;
  private length = 250;
  private curve = (share: number) => share;
  private begin: Tween = () => () => undefined;
  private frame = 0;
  private started = false;

  constructor(private readonly chosen: Chosen) {
    this.element = chosen.node();
    if (!this.element) return;
    interrupt(this.element);
    running.set(this.element, this);
    this.frame = requestAnimationFrame((now) => this.start(now));
  }

  selection(): Chosen {
    return this.chosen;
  }

  duration(length: number): this {
    this.length = length;
    return this;
  }

  ease(curve: (share: number) => number): this {
    this.curve = curve;
    return this;
  }

  /** `types` are separated by spaces; what stands behind a point is whose they are. */
  on(types: string, listener: Listener): this {
    for (const type of types.split(" ")) this.listeners.push([type.replace(/\..*/, ""), listener]);
    return this;
  }

  tween(_name: string, begin: Tween): this {
    this.begin = begin;
    return this;
  }

  call(schedule: (transition: Transition, ...rest: unknown[]) => void, ...rest: unknown[]): this {
    schedule(this, ...rest);
    return this;
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
    this.finish(this.started ? "interrupt" : "cancel");
  }

  private start(begin: number): void {
    if (!this.element) return;
    this.started = true;
    this.tell("start");
    const move = this.begin.call(this.element, this.chosen.datum());
    const step = (now: number) => {
      const share = Math.min(1, (now - begin) / this.length);
      move(this.curve(share));
      if (share < 1) this.frame = requestAnimationFrame(step);
      else this.finish("end");
    };
    step(begin);
  }

  private finish(type: string): void {
    if (this.element) running.delete(this.element);
    this.tell(type);
  }

  private tell(type: string): void {
    for (const [wanted, listener] of this.listeners) if (this.element && wanted === type) listener.call(this.element);
  }
}

Object.assign(selection.prototype, {
  transition(this: Chosen) {
    return new Transition(this);
  },
  interrupt(this: Chosen) {
    return this.each(function () {
      interrupt(this);
    });
  },
});

import { describe, expect, it } from "vitest";
import { watchKernel } from "../src/widget/kernel";

class Fake<T> {
  private readonly slots: ((sender: unknown, value: T) => void)[] = [];
  connect(slot: (sender: unknown, value: T) => void) {
    this.slots.push(slot);
  }
  disconnect(slot: (sender: unknown, value: T) => void) {
    this.slots.splice(this.slots.indexOf(slot), 1);
  }
  say(value: T) {
    for (const slot of [...this.slots]) slot(null, value);
  }
}

function watched() {
  const kernel = {
    statusChanged: new Fake<string>(),
    disposed: new Fake<void>(),
    iopubMessage: new Fake<{
      header: { msg_type: string; session: string };
      content: { execution_state?: string };
    }>(),
  };
  const lost: string[] = [];
  const end = watchKernel(kernel, (status) => lost.push(status));
  const busy = (session: string, state = "busy") =>
    kernel.iopubMessage.say({ header: { msg_type: "status", session }, content: { execution_state: state } });
  return { kernel, lost, end, busy };
}

describe("a kernel that is watched", () => {
  it("has lost all when it restarts, ends, or is shut down", () => {
    const { kernel, lost, busy } = watched();
    busy("a");
    kernel.statusChanged.say("restarting");
    kernel.statusChanged.say("unknown");
    kernel.statusChanged.say("starting");
    busy("b");
    expect(lost).toEqual(["restarting"]);
    kernel.disposed.say(undefined);
    expect(lost).toEqual(["restarting", "dead"]);
  });
  it("is another one where another process speaks, though nobody has said that it started", () => {
    const { kernel, lost, end, busy } = watched();
    busy("a");
    busy("a", "idle");
    busy("server", "restarting");
    kernel.iopubMessage.say({ header: { msg_type: "stream", session: "c" }, content: {} });
    expect(lost).toEqual([]);
    busy("b");
    busy("b", "idle");
    expect(lost).toEqual(["starting"]);
    end();
    busy("c");
    expect(lost).toEqual(["starting"]);
  });
});

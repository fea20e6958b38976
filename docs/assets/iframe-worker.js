// Browsers refuse workers to pages opened from the disk (file://). There the search runs in a
// hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    #frame = document.createElement("iframe");
    #ready;

    constructor(url) {
      super();
      this.#frame.hidden = true;
      this.#ready = new Promise((resolve) => {
        this.#frame.addEventListener("load", () => {
          const inside = this.#frame.contentWindow;
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          const script = inside.document.createElement("script");
          script.src = new URL(url, location.href).href;
          script.addEventListener("load", () => resolve(inside));
          inside.document.body.append(script);
        });
      });
      this.#frame.srcdoc = "<!doctype html><title>search</title><body></body>";
      document.body.append(this.#frame);
    }

    postMessage(data) {
      this.#ready.then((inside) => inside.dispatchEvent(new inside.MessageEvent("message", { data })));
    }

    terminate() {
      this.#frame.remove();
    }
  };
}

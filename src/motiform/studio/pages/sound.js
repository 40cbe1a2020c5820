(({ rate, most, spare, channels, lead }) => {
  if (window.motiformSound) window.motiformSound.close();
  const context = new AudioContext({sampleRate: rate, latencyHint: "interactive"});
  const told = document.createElement("div");
  told.id = "motiform-sound";
  told.style = "position:fixed;right:10px;bottom:8px;font:12px sans-serif;opacity:.75;z-index:1000;pointer-events:none";
  document.body.appendChild(told);
  const wake = () => context.resume();
  document.addEventListener("pointerdown", wake); document.addEventListener("keydown", wake);
  const sound = window.motiformSound = {
    context, lead, next: 0, blocks: 0, played: 0, loudest: 0, gaps: 0, left: 0, latency: NaN,
  };
  const say = text => { if (told.textContent !== text) told.textContent = text; };
  say("Sound: click on the page to hear it");
  sound.play = text => {
    if (context.state !== "running") { context.resume(); return; }
    const raw = atob(text), bytes = Uint8Array.from(raw, c => c.charCodeAt(0)), values = new Int16Array(bytes.buffer);
    const count = values.length / channels, now = context.currentTime;
    const buffer = context.createBuffer(channels, count, rate);
    const top = values.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
    for (let c = 0; c < channels; c++) {
      const to = buffer.getChannelData(c);
      for (let n = 0; n < count; n++) to[n] = values[n * channels + c] / 32768;
    }
    if (sound.next < now) {
      if (sound.blocks) { sound.gaps++; sound.lead = Math.min(2 * sound.lead, most); }
      sound.next = now + sound.lead;
    }
    if (sound.next > now + sound.lead + spare) { sound.left++; return; }
    const source = context.createBufferSource();
    source.buffer = buffer; source.connect(context.destination); source.start(sound.next);
    source.onended = () => { sound.played++; sound.loudest = Math.max(sound.loudest, top / 32768); };
    // a block's own length, the wait in the page, the browser and its device
    sound.latency = count / rate + sound.next - now + (context.baseLatency || 0) + (context.outputLatency || 0);
    sound.next += count / rate; sound.blocks++;
    if (sound.blocks % 25 === 1) say(`Sound ${Math.round(1000 * sound.latency)} ms after the hand` +
      (sound.gaps ? `, ${sound.gaps} gaps` : ""));
  };
  sound.close = () => {
    document.removeEventListener("pointerdown", wake); document.removeEventListener("keydown", wake);
    told.remove(); context.close(); delete window.motiformSound;
  };
})

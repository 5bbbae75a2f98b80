"use strict";
// Interaction only: the page says everything without this.
document.addEventListener("focusin", (event) => {
  const cell = event.target.closest ? event.target.closest(".cell a") : null;
  const place = cell && cell.closest("section").querySelector("[data-why]");
  if (place) place.textContent = cell.getAttribute("aria-label");
});
const open = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  if (target) target.scrollIntoView();
};
addEventListener("hashchange", open);
open();

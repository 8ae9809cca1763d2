// One list for bodies and curves, told apart also by people who see few colours.
const light = ["#3f6fa8", "#e08a2c", "#4b9a55", "#c9504f", "#8d6bb0", "#3fa3a0", "#c9a227", "#8a6b58", "#d1799b", "#6f7780"];
const dark = ["#6ea3e0", "#f2a65a", "#74c37e", "#ec7b78", "#b597d8", "#6bcac6", "#e6c65c", "#b99783", "#eba0bd", "#a3acb5"];

export const isDark = () => document.documentElement.dataset.theme === "dark";
export const colour = (number) => (isDark() ? dark : light)[number % light.length];
export const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
